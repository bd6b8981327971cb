"""The tests of the tester: mutated answers, changed sources, and changes that must change nothing."""
