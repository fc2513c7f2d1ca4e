"""What the outside world serves to the demo event: news sites, feeds, social platforms. All of it is invented."""
