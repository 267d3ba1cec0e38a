package io.argosy.network;

/** Why a Service is not served as it asks, in the words of an event, of which there may be so many. */
public record Trouble(String reason, String message) {
    private static final int LONGEST = 1024;

    public Trouble {
        message = message.length() > LONGEST ? message.substring(0, LONGEST - 3) + "..." : message;
    }
}
