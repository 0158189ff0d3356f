"""Files of a warehouse behind one small `FileIO`: ranges, listings, put-if-absent, wrappers, cache, locks."""
