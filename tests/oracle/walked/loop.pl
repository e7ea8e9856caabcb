# Subroutines, regular expressions, and blocks that sort and map call.
sub deeper {
	my ($left) = @_;
	return deeper($left - 1) + 1 if $left;
	return scalar(grep { /a+b/ } map { "x$_" . "a" x ($_ % 7) . "b" } 1 .. 60);
}

my $sum = 0;
while ((times)[0] < $ARGV[0]) {
	$sum += deeper(8);
	my @sorted = sort { $a <=> $b } map { ($_ * 7919) % 1009 } 1 .. 300;
	my %seen = map { $_ => 1 } @sorted;
}
