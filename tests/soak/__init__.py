"""What takes too long for every run: mixed blocks, random kills, a million fuzzed inputs, hours."""
