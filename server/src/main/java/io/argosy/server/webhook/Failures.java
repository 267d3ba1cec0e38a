package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.util.Locale;

/** Why a call failed, in the words in which Kubernetes says it. */
final class Failures {
    private static final int SHOWN = 256;

    private Failures() {}

    static CallException ofConnecting(Target.Peer peer, Throwable cause) {
        String where = "dial tcp " + peer.address().getAddress().getHostAddress() + ":"
                + peer.address().getPort();
        if (cause instanceof ConnectTimeoutException) {
            return new CallException(CallException.TIMED_OUT);
        }
        if (cause instanceof ConnectException
                && String.valueOf(cause.getMessage()).contains("refused")) {
            return new CallException(where + ": connect: connection refused");
        }
        return new CallException(where + ": " + firstLine(cause));
    }

    static CallException ofHandshake(Throwable cause) {
        if (cause instanceof SslHandshakeTimeoutException) {
            return new CallException(CallException.TIMED_OUT);
        }
        for (Throwable at = cause; at != null; at = at.getCause()) {
            String words = String.valueOf(at.getMessage());
            if (words.contains("unable to find valid certification path")) {
                return new CallException(
                        "tls: failed to verify certificate: x509: certificate signed by unknown authority");
            }
            if (at instanceof CertificateException && at.getCause() == null) {
                return new CallException("tls: failed to verify certificate: x509: " + firstLine(at));
            }
        }
        return cause instanceof IOException && cause instanceof java.nio.channels.ClosedChannelException
                ? new CallException("EOF")
                : new CallException("tls: " + firstLine(cause));
    }

    static CallException ofExchange(Throwable cause) {
        if (cause instanceof TooLongFrameException) {
            return new CallException("http: response body too large");
        }
        if (cause instanceof EOFException || cause instanceof java.nio.channels.ClosedChannelException) {
            return new CallException("EOF");
        }
        return new CallException(firstLine(cause));
    }

    /** What a client makes of an answer that is not a success. */
    static CallException ofStatus(int status, byte[] body) {
        String said = message(body);
        if (!said.isEmpty()) {
            return new CallException(said);
        }
        String text = new String(body, 0, Math.min(body.length, SHOWN), StandardCharsets.UTF_8).strip();
        return new CallException(
                switch (status) {
                    case 400 -> "the server rejected our request for an unknown reason";
                    case 401 -> "the server has asked for the client to provide credentials";
                    case 403 -> text.isEmpty() ? "unknown" : text;
                    case 404 -> "the server could not find the requested resource";
                    case 405 -> "the server does not allow this method on the requested resource";
                    case 413 -> "Request entity too large: limit is not known";
                    case 429 -> "the server has received too many requests and has asked us to try again later";
                    case 503 -> "the server is currently unable to handle the request";
                    case 504 ->
                        "the server was unable to return a response in the time allotted, but may still be processing the"
                                + " request";
                    default ->
                        status >= 500
                                ? "an error on the server (\"" + text.replace("\"", "\\\"")
                                        + "\") has prevented the request from succeeding"
                                : "the server responded with the status code " + status
                                        + " but did not return more information";
                });
    }

    /** The message of a {@code Status}, if the body is one. */
    private static String message(byte[] body) {
        try {
            JsonNode status = Json.decode(body);
            return status.path("kind").asText().equals("Status")
                    ? status.path("message").asText("")
                    : "";
        } catch (IOException noJson) {
            return "";
        }
    }

    private static String firstLine(Throwable cause) {
        String message = cause.getMessage() == null
                ? cause.getClass().getSimpleName().toLowerCase(Locale.ROOT)
                : cause.getMessage();
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }
}
