package io.argosy.server.certificates;

import io.argosy.api.names.Names;
import io.argosy.server.validation.Spot;
import java.util.Optional;

/** What signers are called: a domain, and which of the domain's signers it is. */
final class SignerNames {
    private static final int LONGEST_DOMAIN = 253;
    private static final int LONGEST_LABEL = 63;

    /** Beside the domain there is room for a namespace and a name in it. */
    private static final int LONGEST = LONGEST_DOMAIN + 1 + LONGEST_DOMAIN + 1 + LONGEST_LABEL;

    private SignerNames() {}

    static void check(Spot signer) {
        if (!signer.needed()) {
            return;
        }
        String[] parts = signer.text().split("/", -1);
        if (parts.length != 2) {
            signer.invalid("must be a fully qualified domain and path of the form 'example.com/signer-name'");
            return;
        }
        if (parts[0].length() > LONGEST_DOMAIN) {
            signer.errors().tooLong(signer.path(), LONGEST_DOMAIN);
        }
        String[] domain = parts[0].split("\\.", -1);
        first(signer, parts[0], domain, true);
        if (domain.length < 2) {
            signer.invalid(parts[0], "should be a domain with at least two segments separated by dots");
        }
        first(signer, parts[1], parts[1].split("\\.", -1), false);
        signer.notLongerThan(LONGEST);
    }

    /** Complains of the first label that is wrong: what is said of others could not be told apart. */
    private static void first(Spot signer, String part, String[] labels, boolean inDomain) {
        for (String label : labels) {
            Optional<String> error = inDomain ? Names.labelError(label) : Names.subdomainError(label);
            if (error.isPresent()) {
                signer.invalid(part, "validating label \"" + label + "\": " + error.get());
                return;
            }
        }
    }
}
