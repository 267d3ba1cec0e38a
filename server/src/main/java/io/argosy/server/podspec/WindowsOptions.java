package io.argosy.server.podspec;

import io.argosy.server.validation.Spot;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** As whom a pod's processes run on a Windows node: checked wherever they are said, though there may be no such node. */
final class WindowsOptions {
    private static final int MOST_CREDENTIAL_KIB = 64;
    private static final int DOMAIN_BELOW = 256;
    private static final int LONGEST_USER = 104;
    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x1f\\x7f]");
    private static final Pattern NET_BIOS = Pattern.compile("[^\\\\/:*?\"<>|.][^\\\\/:*?\"<>|]{0,14}");
    private static final String LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
    private static final Pattern DOMAIN = Pattern.compile(LABEL + "(?:\\." + LABEL + ")*");
    private static final Pattern NOTHING_BUT_DOTS = Pattern.compile("[. ]+");
    private static final Pattern NOT_IN_USERS = Pattern.compile("[\"/\\\\:;|=,+*?<>@\\[\\]]");

    private WindowsOptions() {}

    /** Those of a pod, or of one of its containers. */
    static void check(Spot options) {
        Spot name = options.at("gmsaCredentialSpecName");
        if (name.isGiven()) {
            name.subdomain();
        }
        Spot credentials = options.at("gmsaCredentialSpec");
        if (credentials.isGiven()) {
            if (credentials.text().isEmpty()) {
                credentials.invalid("gmsaCredentialSpec cannot be an empty string");
            } else if (credentials.bytes() > MOST_CREDENTIAL_KIB << 10) {
                credentials.invalid("gmsaCredentialSpec size must be under " + MOST_CREDENTIAL_KIB + " KiB");
            }
        }
        Spot user = options.at("runAsUserName");
        if (user.isGiven()) {
            runAs(user);
        }
    }

    private static void runAs(Spot name) {
        String[] parts = name.text().split("\\\\", -1);
        if (name.text().isEmpty()) {
            name.invalid("runAsUserName cannot be an empty string");
        } else if (CONTROL.matcher(name.text()).find()) {
            name.invalid("runAsUserName cannot contain control characters");
        } else if (parts.length > 2) {
            name.invalid("runAsUserName cannot contain more than one backslash");
        } else {
            if (parts.length == 2) {
                domain(name, parts[0]);
            }
            user(name, parts[parts.length - 1]);
        }
    }

    private static void domain(Spot name, String domain) {
        if (bytes(domain) >= DOMAIN_BELOW) {
            name.invalid("runAsUserName's Domain length must be under " + DOMAIN_BELOW + " characters");
        }
        if (!NET_BIOS.matcher(domain).matches() && !DOMAIN.matcher(domain).matches()) {
            name.invalid("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
        }
    }

    private static void user(Spot name, String user) {
        if (user.isEmpty()) {
            name.invalid("runAsUserName's User cannot be empty");
        } else if (bytes(user) > LONGEST_USER) {
            name.invalid("runAsUserName's User length must not be longer than " + LONGEST_USER + " characters");
        }
        if (NOTHING_BUT_DOTS.matcher(user).matches()) {
            name.invalid("runAsUserName's User cannot contain only periods or spaces");
        }
        if (NOT_IN_USERS.matcher(user).find()) {
            name.invalid("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** Containers that are processes of the node: all of a pod's are, or none, and they share the node's network. */
    static void hostProcesses(Spot spec) {
        Spot ofPod = hostProcess(spec);
        int containers = 0;
        int onHost = 0;
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            for (Spot container : spec.each(list)) {
                Spot own = hostProcess(container);
                containers++;
                if (own.isGiven() && ofPod.isGiven() && !own.value().equals(ofPod.value())) {
                    own.invalid("pod hostProcess value must be identical if both are specified, was "
                            + ofPod.value().asBoolean());
                }
                if ((own.isGiven() ? own : ofPod).value().asBoolean()) {
                    onHost++;
                }
            }
        }
        if (onHost == 0) {
            return;
        }
        if (onHost != containers) {
            spec.invalid(
                    "",
                    "If pod contains any hostProcess containers then all containers must be HostProcess containers");
        }
        if (!spec.isTrue("hostNetwork")) {
            spec.at("hostNetwork")
                    .invalid(false, "hostNetwork must be true if pod contains any hostProcess containers");
        }
    }

    private static Spot hostProcess(Spot owner) {
        return owner.at("securityContext").at("windowsOptions").at("hostProcess");
    }
}
