package io.argosy.node.image;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A docker-style image name in its full form, so that {@code nginx:1.7.9} and {@code docker.io/library/nginx:1.7.9} are
 * one and the same.
 *
 * @param host registry host, with port if it has one
 * @param repository path within the registry
 * @param tag empty only when there is a digest
 * @param digest {@code sha256:...}, or empty
 */
public record ImageReference(String host, String repository, String tag, String digest) {
    private static final String DEFAULT_HOST = "docker.io";
    private static final int MAX_NAME = 255;
    private static final Pattern HOST = Pattern.compile("(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
            + "(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[0-9a-fA-F:]+])(?::[0-9]{1,5})?");
    private static final Pattern COMPONENT = Pattern.compile("[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*");
    private static final Pattern TAG = Pattern.compile("\\w[\\w.-]{0,127}");
    private static final Pattern DIGEST = Pattern.compile("sha256:[a-f0-9]{64}");
    private static final Pattern HEX_NAME = Pattern.compile("[a-f0-9]{64}");

    /** Reads a name as people write it; a name with neither tag nor digest gets the tag {@code latest}. */
    public static ImageReference parse(String text) {
        if (text == null || text.isBlank()) {
            throw invalid(text == null ? "" : text, "the image name is empty");
        }
        String rest = text;
        String digest = "";
        int at = rest.indexOf('@');
        if (at >= 0) {
            digest = rest.substring(at + 1);
            rest = rest.substring(0, at);
            if (!isDigest(digest)) {
                throw invalid(text, "the digest must be sha256: and 64 lower-case hexadecimal digits");
            }
        }
        String tag = "";
        int colon = rest.lastIndexOf(':');
        if (colon > rest.lastIndexOf('/')) {
            tag = rest.substring(colon + 1);
            rest = rest.substring(0, colon);
            if (!TAG.matcher(tag).matches()) {
                throw invalid(text, "the tag must be at most 128 letters, digits, '_', '.' or '-'");
            }
        }
        String host = DEFAULT_HOST;
        String repository = rest;
        int slash = rest.indexOf('/');
        if (slash >= 0 && namesHost(rest.substring(0, slash))) {
            host = rest.substring(0, slash);
            repository = rest.substring(slash + 1);
        }
        if (!HOST.matcher(host).matches()) {
            throw invalid(text, "the registry host is malformed");
        }
        if (host.equals("index.docker.io")) {
            host = DEFAULT_HOST;
        }
        checkRepository(text, repository);
        if (host.equals(DEFAULT_HOST) && repository.indexOf('/') < 0) {
            repository = "library/" + repository;
        }
        if (host.length() + 1 + repository.length() > MAX_NAME) {
            throw invalid(text, "the repository name must not be longer than 255 characters");
        }
        return new ImageReference(host, repository, tag.isEmpty() && digest.isEmpty() ? "latest" : tag, digest);
    }

    private static boolean namesHost(String first) {
        return first.indexOf('.') >= 0
                || first.indexOf(':') >= 0
                || first.equals("localhost")
                || !first.equals(first.toLowerCase(Locale.ROOT));
    }

    private static void checkRepository(String text, String repository) {
        if (!repository.equals(repository.toLowerCase(Locale.ROOT))) {
            throw invalid(text, "repository name must be lowercase");
        }
        for (String component : repository.split("/", -1)) {
            Matcher matcher = COMPONENT.matcher(component);
            if (!matcher.matches()) {
                throw invalid(text, "\"" + component + "\" is not a repository name");
            }
        }
        if (HEX_NAME.matcher(repository).matches()) {
            throw invalid(text, "a repository name cannot be 64 hexadecimal digits");
        }
    }

    static boolean isDigest(String text) {
        return DIGEST.matcher(text).matches();
    }

    private static ImageException invalid(String text, String why) {
        return new ImageException(
                ImageException.Kind.INVALID_NAME,
                "couldn't parse image name \"" + text + "\": invalid reference format: " + why);
    }

    /** Host and repository: {@code docker.io/library/nginx}. */
    public String name() {
        return host + "/" + repository;
    }

    public boolean hasDigest() {
        return !digest.isEmpty();
    }

    /** What a registry is asked for: the digest where there is one, else the tag. */
    public String target() {
        return hasDigest() ? digest : tag;
    }

    /** The name an image is kept under: with a digest the tag says nothing more and falls away. */
    public String canonical() {
        return hasDigest() ? name() + "@" + digest : name() + ":" + tag;
    }

    @Override
    public String toString() {
        return name() + (tag.isEmpty() ? "" : ":" + tag) + (hasDigest() ? "@" + digest : "");
    }
}
