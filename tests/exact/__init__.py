"""Small games solved exactly, in plain Python that shares no code with the package."""
