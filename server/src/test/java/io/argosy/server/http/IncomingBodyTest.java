package io.argosy.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A body between the network and its reader. */
class IncomingBodyTest {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final IncomingBody body = new IncomingBody(channel);

    private boolean reads() {
        channel.runPendingTasks();
        return channel.config().isAutoRead();
    }

    @Test
    void theNetworkIsNotReadWhileTheReaderIsBehind() throws Exception {
        for (int i = 0; i < 4; i++) {
            body.add(new byte[64 << 10], false);
        }
        assertThat(reads()).isTrue();
        body.add(new byte[1], false);
        assertThat(reads()).isFalse();
        for (int i = 0; i < 3; i++) {
            body.next();
            assertThat(reads()).as("after " + i).isFalse();
        }
        body.next();
        assertThat(reads()).isTrue();
        assertThat(body.next()).hasSize(1);
        body.add(new byte[0], true);
        assertThat(body.next()).isNull();
    }

    @Test
    void whatCameIsReadBeforeTheEnd() throws Exception {
        body.add(new byte[] {1}, true);
        assertThat(body.isComplete()).isTrue();
        assertThat(body.next()).containsExactly(1);
        assertThat(body.next()).isNull();
    }

    @Test
    void theRestOfACompleteBodyHoldsNothingUpEither() throws Exception {
        body.add(new byte[300 << 10], true);
        assertThat(reads()).isFalse();
        body.discard();
        assertThat(reads()).isTrue();
        assertThat(body.isComplete()).isTrue();
        assertThat(body.next()).isNull();
    }

    @Test
    void aBrokenBodyHasNoEndAndHoldsNothingUp() {
        body.add(new byte[300 << 10], false);
        assertThat(reads()).isFalse();
        body.discard();
        assertThat(reads()).isTrue();
        body.add(new byte[300 << 10], false);
        assertThat(reads()).isTrue();
        body.add(new byte[0], true);
        assertThat(body.isComplete()).isFalse();
        assertThatThrownBy(body::next).isInstanceOf(IOException.class);
    }
}
