"""ID3 and C4.5: trees with n-ary branches."""
