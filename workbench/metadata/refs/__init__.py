"""References to snapshots: tags, branches, consumers and long-lived changelogs."""
