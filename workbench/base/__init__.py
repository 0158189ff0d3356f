"""What every room may use: errors, clock, identifiers, progress, parallel work. Imports nothing of the rest."""
