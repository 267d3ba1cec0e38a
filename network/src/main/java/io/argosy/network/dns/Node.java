package io.argosy.network.dns;

/** What stands at one name of the zone; all absent makes a name that exists but has no records of its own. */
record Node(RecordSet a, RecordSet aaaa, RecordSet srv, RecordSet cname, Name canonical) {
    static final Node EMPTY = new Node(null, null, null, null, null);

    RecordSet find(int type) {
        return switch (type) {
            case Wire.A -> a;
            case Wire.AAAA -> aaaa;
            case Wire.SRV -> srv;
            case Wire.CNAME -> cname;
            case Wire.ANY -> a != null ? a : aaaa != null ? aaaa : srv != null ? srv : cname;
            default -> null;
        };
    }
}
