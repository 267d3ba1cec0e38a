package io.argosy.server.webhook;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Failures of webhooks that a test asks for: calls to one of that name fail before anything is sent. */
public final class WebhookFaults {
    /** How a call fails. */
    public enum Fault {
        UNREACHABLE("connect: connection refused"),
        TIMEOUT(CallException.TIMED_OUT);

        private final String message;

        Fault(String message) {
            this.message = message;
        }
    }

    private final Map<String, Fault> faults = new ConcurrentHashMap<>();

    public void fail(String webhook, Fault how) {
        faults.put(webhook, how);
    }

    public void recover(String webhook) {
        faults.remove(webhook);
    }

    void strike(String webhook) throws CallException {
        Fault fault = faults.get(webhook);
        if (fault != null) {
            throw new CallException(fault.message);
        }
    }
}
