package io.argosy.node.agent.env;

/** A container cannot be made as its spec says, because what the spec refers to is missing or wrong. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }
}
