"""What Breakthrough and Knightthrough share: all but the steps of their pieces."""
