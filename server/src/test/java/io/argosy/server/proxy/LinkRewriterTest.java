package io.argosy.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkRewriterTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            <a href="/rewriteme">test</a>                 | <a href="/p/rewriteme">test</a>
            <A HREF='/x' class="/x">t</A>                 | <A HREF='/p/x' class="/x">t</A>
            <img src=/x.png alt=/x>                       | <img src=/p/x.png alt=/x>
            <img\talt="a>b"  src = "/x" />                | <img\talt="a>b"  src = "/p/x" />
            <a href="x">relative</a>                      | <a href="x">relative</a>
            <div href="/x">no link</div>                  | <div href="/x">no link</div>
            <form action="/go?a=1&amp;b=2"><input src="/i"> | <form action="/p/go?a=1&amp;b=2"><input src="/p/i">
            <!-- <a href="/x"> --><a href="/y">           | <!-- <a href="/x"> --><a href="/p/y">
            <script src="/s.js">'<a href="/x">'</script><a href="/y"> | <script src="/p/s.js">'<a href="/x">'</script><a href="/p/y">
            <STYLE>a{content:'<a href="/x">'}</STYLE ><a href="/y"> | <STYLE>a{content:'<a href="/x">'}</STYLE ><a href="/p/y">
            1 < 2 <a href="/y">ü€</a> and a<              | 1 < 2 <a href="/p/y">ü€</a> and a<
            <a href>x</a><a href="/unclosed               | <a href>x</a><a href="/unclosed
            <a href="">x</a>                              | <a href="">x</a>
            """)
    void linksAreChangedAndNothingElse(String page, String expected) {
        for (int piece : new int[] {1, 2, 3, 7, 1000}) {
            assertThat(rewritten(page, piece)).as("in pieces of " + piece).isEqualTo(expected);
        }
    }

    private static String rewritten(String page, int piece) {
        LinkRewriter rewriter = new LinkRewriter(link -> link.startsWith("/") ? "/p" + link : link);
        byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < bytes.length; i += piece) {
            out.writeBytes(rewriter.next(Arrays.copyOfRange(bytes, i, Math.min(bytes.length, i + piece))));
        }
        out.writeBytes(rewriter.rest());
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void whatNeverEndsIsNotKept() {
        LinkRewriter rewriter = new LinkRewriter(link -> "changed");
        int passed = 0;
        byte[] noise = "<a href='/x' ".repeat(1000).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 100; i++) {
            passed += rewriter.next(noise).length;
        }
        assertThat(passed).isGreaterThan(90 * noise.length);
    }
}
