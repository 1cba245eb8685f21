"""What Nogo and Atarigo share: groups, liberties, play, notation and pictures."""
