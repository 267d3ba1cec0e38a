package io.argosy.server.table;

/** Tables of namespaces and of the settings kept in them. */
final class ConfigTables {
    private ConfigTables() {}

    static TableDefinition namespaces() {
        return TableBuilder.named()
                .text("Status", "Whether it is in use or being emptied.", row -> row.text("status", "phase"))
                .age()
                .build();
    }

    static TableDefinition configMaps() {
        Column data = new Column("Data", "string", "", "How many entries it has.", 0);
        return TableBuilder.named()
                .add(data, TableBuilder.number(row -> row.count("data") + row.count("binaryData")))
                .age()
                .build();
    }

    static TableDefinition secrets() {
        Column data = new Column("Data", "string", "", "How many entries it has.", 0);
        return TableBuilder.named()
                .text("Type", "What it is used for.", row -> row.text("type"))
                .add(data, TableBuilder.number(row -> row.count("data")))
                .age()
                .build();
    }

    /** For kinds with nothing to tell but how old they are. */
    static TableDefinition nameAndAge() {
        return TableBuilder.named().age().build();
    }

    /** For kinds that nobody made a table for. */
    static TableDefinition nameAndCreation() {
        Column created = new Column("Created At", "date", "", "When the object was created.", 0);
        return TableBuilder.named()
                .add(created, TableBuilder.text(row -> row.text("metadata", "creationTimestamp")))
                .build();
    }
}
