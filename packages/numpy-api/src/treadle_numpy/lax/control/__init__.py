"""Control flow: branches, loops, scans."""
