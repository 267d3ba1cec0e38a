package io.argosy.server.podspec;

import io.argosy.api.quantity.Amount;
import io.argosy.server.validation.Spot;
import java.util.List;

/** What somebody must say who wants a volume: in a claim, and in the template of one. */
public final class ClaimRules {
    private static final List<String> ACCESS_MODES =
            List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");
    private static final String CLAIM = "PersistentVolumeClaim";

    private ClaimRules() {}

    public static void spec(Spot spec) {
        if (spec.at("accessModes").value().isEmpty()) {
            spec.at("accessModes").required("at least 1 access mode is required");
        }
        Selectors.check(spec.at("selector"));
        accessModes(spec.at("accessModes"));
        Spot size = new Spot(
                spec.value().at("/resources/requests/storage"), spec.path() + ".resources[storage]", spec.errors());
        if (size.needed()) {
            positive(size);
        }
        className(spec.at("storageClassName"));
        volumeMode(spec.at("volumeMode"));
        sources(spec);
        className(spec.at("volumeAttributesClassName"));
    }

    /** A claim that is made with its pod; of its metadata only what is copied may be said. */
    static void template(Spot template) {
        templateMetadata(template.at("metadata"));
        spec(template.at("spec"));
    }

    /** Of something that is made later, labels and annotations can be said beforehand. */
    public static void templateMetadata(Spot metadata) {
        metadata.at("annotations").annotations();
        metadata.at("labels").labels();
        metadata.value().fieldNames().forEachRemaining(field -> {
            boolean copied = field.equals("annotations") || field.equals("labels");
            if (!copied && metadata.has(field) && !(metadata.text(field).isEmpty() && isPlain(metadata.at(field)))) {
                metadata.at(field).forbidden("cannot be set");
            }
        });
    }

    private static boolean isPlain(Spot field) {
        return field.value().isValueNode();
    }

    public static void accessModes(Spot modes) {
        boolean sole = false;
        boolean shared = false;
        for (Spot mode : modes.each()) {
            if (!ACCESS_MODES.contains(mode.text())) {
                modes.errors().notSupported(modes.path(), mode.text(), ACCESS_MODES);
            } else {
                sole |= mode.text().equals("ReadWriteOncePod");
                shared |= !mode.text().equals("ReadWriteOncePod");
            }
        }
        if (sole && shared) {
            modes.forbidden("may not use ReadWriteOncePod with other access modes");
        }
    }

    public static void volumeMode(Spot mode) {
        mode.oneOf(List.of("Block", "Filesystem"));
    }

    public static void className(Spot name) {
        if (!name.text().isEmpty()) {
            name.subdomain();
        }
    }

    public static void positive(Spot amount) {
        if (Amount.parse(amount.text()).orElse(Amount.ZERO).compareTo(Amount.ZERO) <= 0) {
            amount.invalid(amount.text(), "must be greater than zero");
        }
    }

    /** What the volume should be filled with. */
    private static void sources(Spot spec) {
        Spot source = spec.at("dataSource");
        Spot reference = spec.at("dataSourceRef");
        source(source);
        source(reference);
        boolean elsewhere = !reference.text("namespace").isEmpty();
        if (elsewhere) {
            reference.at("namespace").label();
        }
        if (!source.isGiven()) {
            return;
        }
        if (elsewhere) {
            spec.invalid(source.path(), "may not be specified when dataSourceRef.namespace is specified");
        } else if (reference.isGiven()
                && !List.of("apiGroup", "kind", "name").stream()
                        .allMatch(field -> source.text(field).equals(reference.text(field)))) {
            spec.invalid(source.path(), "must match dataSourceRef");
        }
    }

    private static void source(Spot source) {
        if (!source.isGiven()) {
            return;
        }
        source.at("name").needed();
        source.at("kind").needed();
        if (!source.text("apiGroup").isEmpty()) {
            source.at("apiGroup").subdomain();
        } else if (!source.text("kind").equals(CLAIM)) {
            source.invalid(
                    source.text("kind"), "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
        }
    }
}
