package io.argosy.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class AnswerReaderTest {
    private final AnswerReader reader = new AnswerReader();

    @Test
    void answerEndsWithItsBody() {
        assertThat(reader.read(bytes("HTTP/1.1 201 Created\r\nContent-Length: 5\r\nx: y\r\n\r\nhello")))
                .isTrue();
        assertThat(reader.status()).isEqualTo(201);
    }

    @Test
    void answerMayComeInPiecesOfAnySize() {
        String answer = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc";
        for (int at = 0; at < answer.length() - 1; at++) {
            assertThat(reader.read(bytes(answer.substring(at, at + 1)))).isFalse();
        }
        assertThat(reader.read(bytes("c"))).isTrue();
    }

    @Test
    void bytesOfTheNextAnswerAreLeft() {
        String answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
        ByteBuf two = bytes(answer + answer.replace("200", "404"));
        assertThat(reader.read(two)).isTrue();
        assertThat(reader.status()).isEqualTo(200);
        assertThat(reader.read(two)).isTrue();
        assertThat(reader.status()).isEqualTo(404);
    }

    @Test
    void answerInChunksEndsWithTheEmptyOne() {
        String answer =
                "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n1a\r\nabcdefghijklmnopqrstuvwx\r\n\r\n2;x=y\r\nyz\r\n0\r\n\r\n";
        for (int at = 0; at < answer.length() - 1; at++) {
            assertThat(reader.read(bytes(answer.substring(at, at + 1)))).isFalse();
        }
        assertThat(reader.read(bytes("\n"))).isTrue();
        assertThat(reader.status()).isEqualTo(201);
    }

    @Test
    void chunksMayHaveATrailerAndAnotherAnswerBehindThem() {
        ByteBuf two = bytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx: y\r\n\r\n"
                + "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\nno");
        assertThat(reader.read(two)).isTrue();
        assertThat(reader.status()).isEqualTo(200);
        assertThat(reader.read(two)).isTrue();
        assertThat(reader.status()).isEqualTo(404);
        assertThat(two.isReadable()).isFalse();
    }

    @Test
    void answerWithoutALengthIsNotGuessedAt() {
        ByteBuf endless = bytes("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
        assertThatThrownBy(() -> reader.read(endless)).hasMessageContaining("does not tell its length");
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }
}
