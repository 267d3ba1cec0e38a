package io.argosy.server.proxy;

import io.argosy.server.http.BodyStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The body of a request on its way to the server, piece by piece, while the answer may be on its way back already. */
final class Upload {
    private static final Logger LOG = LoggerFactory.getLogger(Upload.class);
    private static final int BUFFER = 32 << 10;

    private final BodyStream body;
    private final OutputStream out;
    private final boolean chunked;

    Upload(BodyStream body, OutputStream out, boolean chunked) {
        this.body = body;
        this.out = new BufferedOutputStream(out, BUFFER);
        this.chunked = chunked;
    }

    /** Sends it on a thread of its own; hangs up if the client does not come to an end, so that nobody takes it for one. */
    void start(Runnable hangUp) {
        Thread.ofVirtual().name("request body").start(() -> {
            try {
                if (!sent()) {
                    hangUp.run();
                }
            } catch (IOException notRead) { // a server may answer before it has read everything
                LOG.debug("a proxied request was not read to its end", notRead);
            } catch (InterruptedException stopping) {
                hangUp.run();
            }
        });
    }

    /** False if the client did not send it to the end. */
    private boolean sent() throws IOException, InterruptedException {
        while (true) {
            byte[] piece;
            try {
                piece = body.next();
            } catch (IOException broken) {
                return false;
            }
            if (piece == null) {
                if (chunked) {
                    line("0\r\n");
                }
                out.flush();
                return true;
            }
            if (chunked) {
                line(Integer.toHexString(piece.length));
            }
            out.write(piece);
            if (chunked) {
                line("");
            }
            out.flush();
        }
    }

    private void line(String text) throws IOException {
        out.write((text + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }
}
