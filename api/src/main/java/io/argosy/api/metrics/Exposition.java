package io.argosy.api.metrics;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * A page of metrics in the making, in the text format of Prometheus (0.0.4) or that of OpenMetrics (1.0.0). A family is begun once, and
 * its samples follow at once. Belongs to one thread.
 */
public final class Exposition {
    public static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    public static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private final boolean openMetrics;
    private final StringBuilder text = new StringBuilder(16 << 10);
    private final Set<String> begun = new HashSet<>();
    private String family;

    public Exposition(boolean openMetrics) {
        this.openMetrics = openMetrics;
    }

    /** Begins a number that only grows; its name ends with {@code _total}. */
    public Exposition counter(String name, String help) {
        String shown = openMetrics && name.endsWith("_total") ? name.substring(0, name.length() - 6) : name;
        return begin(name, shown, "counter", help);
    }

    public Exposition gauge(String name, String help) {
        return begin(name, name, "gauge", help);
    }

    public Exposition histogram(String name, String help) {
        return begin(name, name, "histogram", help);
    }

    private Exposition begin(String name, String shown, String type, String help) {
        if (!begun.add(name)) {
            throw new IllegalStateException("the family " + name + " stands on the page already");
        }
        family = name;
        text.append("# HELP ").append(shown).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(shown).append(' ').append(type).append('\n');
        return this;
    }

    /** A sample of the family begun last; labels are names and values in turn. */
    public Exposition sample(long value, String... labels) {
        line("", labels, "", "").append(value).append('\n');
        return this;
    }

    public Exposition sample(double value, String... labels) {
        line("", labels, "", "").append(number(value)).append('\n');
        return this;
    }

    /** All samples of a histogram. */
    public Exposition sample(Histogram histogram, String... labels) {
        long[] counts = histogram.counts();
        double[] bounds = histogram.bounds();
        long below = 0;
        for (int i = 0; i < counts.length; i++) {
            below += counts[i];
            String bound = i < bounds.length ? number(bounds[i]) : "+Inf";
            line("_bucket", labels, "le", bound).append(below).append('\n');
        }
        line("_sum", labels, "", "").append(number(histogram.sumSeconds())).append('\n');
        line("_count", labels, "", "").append(below).append('\n');
        return this;
    }

    private StringBuilder line(String suffix, String[] labels, String more, String moreValue) {
        text.append(family).append(suffix);
        char next = '{';
        for (int i = 0; i < labels.length; i += 2) {
            label(next, labels[i], labels[i + 1]);
            next = ',';
        }
        if (!more.isEmpty()) {
            label(next, more, moreValue);
            next = ',';
        }
        return text.append(next == '{' ? " " : "} ");
    }

    private void label(char before, String name, String value) {
        text.append(before).append(name).append("=\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> text.append("\\\\");
                case '"' -> text.append("\\\"");
                case '\n' -> text.append("\\n");
                default -> text.append(c);
            }
        }
        text.append('"');
    }

    private static String number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return Long.toString((long) value);
        }
        return Double.toString(value).replace('E', 'e');
    }

    /** The finished page. */
    public byte[] bytes() {
        String end = openMetrics ? "# EOF\n" : "";
        return (text + end).getBytes(StandardCharsets.UTF_8);
    }
}
