# Does the tasks of `plantstore grade client` with one of Perl's HTTP clients: adapter.pl CLIENT.
use strict;
use warnings;
use Encode qw(encode_utf8 decode_utf8);
use JSON::PP;

my $timeout = $ENV{PLANTSTORE_TIMEOUT_MS} / 1000;    # seconds
my $json = JSON::PP->new->utf8->canonical;

# Each function opens a client. It returns a function that sends a request, and returns the status, the field Link and
# the bytes of the body. Both clients report their own errors as a response; the function dies instead.
my %open = (
    'lwp' => sub {
        require LWP::UserAgent;
        my $agent = LWP::UserAgent->new(timeout => $timeout, keep_alive => 1);
        return sub {
            my ($method, $url, $headers, $body) = @_;
            my $response = $agent->request(HTTP::Request->new($method, $url, [%$headers], $body));
            my $own = $response->header('Client-Warning') // '';
            die $response->status_line . "\n" if $own eq 'Internal response';
            for my $field (qw(X-Died Client-Aborted)) {
                die "$field: " . $response->header($field) . "\n" if defined $response->header($field);
            }
            return ($response->code, scalar $response->header('Link'), $response->content);
        };
    },
    'http-tiny' => sub {
        require HTTP::Tiny;
        my $http = HTTP::Tiny->new(timeout => $timeout);
        return sub {
            my ($method, $url, $headers, $body) = @_;
            my %options = (headers => $headers, defined $body ? (content => $body) : ());
            my $response = $http->request($method, $url, \%options);
            die $response->{content} if $response->{status} == 599;
            return ($response->{status}, $response->{headers}{link}, $response->{content});
        };
    },
);

sub perform {
    my ($send, $call) = @_;
    my $body = defined $call->{body} ? encode_utf8($call->{body}) : undef;
    my ($status, undef, $content) = $send->($call->{method}, $call->{url}, $call->{headers}, $body);
    return { status => $status + 0, body => decode_utf8($content // '') };
}

# Reads all pages.
sub read_all {
    my ($send, $call) = @_;
    my @plants;
    my ($base) = $call->{url} =~ m{^(\w+://[^/]*)};
    for (my $url = $call->{url} ; defined $url ;) {
        my ($status, $link, $content) = $send->('GET', $url, $call->{headers});
        return { status => $status + 0 } if $status != 200;
        push @plants, map { { %$_, id => "$_->{id}" } } @{ $json->decode($content) };
        my ($next) = ($link // '') =~ /<([^>]*)>; rel="next"/;
        $url = defined $next && $next =~ m{^/} ? $base . $next : $next;
    }
    return { status => 200, plants => \@plants };
}

my $send = $open{ $ARGV[0] }->();
open my $tasks, '<', $ENV{PLANTSTORE_TASKS} or die $!;
open my $file, '>>', $ENV{PLANTSTORE_REPORT} or die $!;
while (my $line = <$tasks>) {
    my $call = $json->decode($line);
    my $report = eval { $call->{kind} eq 'list' ? read_all($send, $call) : perform($send, $call) }
        // { error => "$@" };
    print $file $json->encode({ task => $call->{task}, %$report }), "\n";
}
close $file or die $!;
