package io.argosy.server.table;

import java.util.ArrayList;
import java.util.List;

/** Tables of devices and of claims on them. */
final class DeviceTables {
    private DeviceTables() {}

    static TableDefinition claims() {
        return TableBuilder.named()
                .text("State", "Whether devices are set aside and used.", DeviceTables::state)
                .age()
                .build();
    }

    private static String state(Row claim) {
        List<String> states = new ArrayList<>();
        if (claim.deleting()) {
            states.add("deleted");
        }
        if (claim.has("status", "allocation")) {
            states.add("allocated");
            if (claim.count("status", "reservedFor") > 0) {
                states.add("reserved");
            }
        } else if (!claim.deleting()) {
            states.add("pending");
        }
        return String.join(",", states);
    }

    static TableDefinition slices() {
        return TableBuilder.named()
                .text("Node", "The node the devices are on.", row -> row.text("spec", "nodeName"))
                .text("Driver", "The driver that offers them.", row -> row.text("spec", "driver"))
                .text("Pool", "The pool they belong to.", row -> row.text("spec", "pool", "name"))
                .age()
                .build();
    }
}
