package io.argosy.operators.plan;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A version of etcd, and from which to which one may go. */
public record EtcdVersion(int major, int minor, int patch) implements Comparable<EtcdVersion> {
    private static final Pattern FORM = Pattern.compile("v?(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4})");
    private static final Comparator<EtcdVersion> ORDER = Comparator.comparingInt(EtcdVersion::major)
            .thenComparingInt(EtcdVersion::minor)
            .thenComparingInt(EtcdVersion::patch);

    public static EtcdVersion parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is no version of etcd such as 3.4.23");
        }
        return new EtcdVersion(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)));
    }

    /** Why etcd cannot go from this version to that one; null if it can. */
    String refusal(EtcdVersion target) {
        if (target.compareTo(this) < 0) {
            return "etcd cannot go back from " + this + " to " + target;
        }
        if (target.major != major || target.minor > minor + 1) {
            return "etcd goes up one minor version at a time, not from " + this + " to " + target;
        }
        return null;
    }

    public boolean isAtLeast(int otherMajor, int otherMinor) {
        return major > otherMajor || (major == otherMajor && minor >= otherMinor);
    }

    @Override
    public int compareTo(EtcdVersion other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
