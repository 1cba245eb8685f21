"""# Pommerman."""
