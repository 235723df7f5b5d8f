"""What every package for a Node platform shares: the TypeScript core, and the pack that it works from."""
