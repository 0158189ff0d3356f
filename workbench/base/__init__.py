"""Shared basics of all rooms: errors, clock, identifiers, progress, parallel work. Imports no other room."""
