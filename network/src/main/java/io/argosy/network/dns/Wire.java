package io.argosy.network.dns;

/** The numbers of the DNS protocol that are used here (RFC 1035, 2782, 3596, 6891). */
final class Wire {
    static final int A = 1;
    static final int NS = 2;
    static final int CNAME = 5;
    static final int SOA = 6;
    static final int PTR = 12;
    static final int TXT = 16;
    static final int AAAA = 28;
    static final int SRV = 33;
    static final int OPT = 41;
    static final int IXFR = 251;
    static final int AXFR = 252;
    static final int ANY = 255;

    static final int CLASS_IN = 1;

    static final int NOERROR = 0;
    static final int FORMERR = 1;
    static final int SERVFAIL = 2;
    static final int NXDOMAIN = 3;
    static final int NOTIMP = 4;
    static final int REFUSED = 5;
    static final int BADVERS = 16;

    static final int FLAG_QR = 0x8000;
    static final int FLAG_AA = 0x0400;
    static final int FLAG_TC = 0x0200;
    static final int FLAG_RD = 0x0100;
    static final int FLAG_RA = 0x0080;
    static final int FLAG_CD = 0x0010;

    static final int HEADER = 12;
    static final int OPT_SIZE = 11;

    /** What a datagram may carry without EDNS, and the most we send in one, so that none is ever fragmented. */
    static final int PLAIN_UDP = 512;

    static final int LARGEST_UDP = 1232;
    static final int LARGEST_MESSAGE = 65_535;

    private Wire() {}

    static int u16(byte[] data, int at) {
        return (data[at] & 0xff) << 8 | (data[at + 1] & 0xff);
    }

    static long u32(byte[] data, int at) {
        return (long) u16(data, at) << 16 | u16(data, at + 2);
    }

    static void put16(byte[] data, int at, int value) {
        data[at] = (byte) (value >>> 8);
        data[at + 1] = (byte) value;
    }

    static void put32(byte[] data, int at, long value) {
        put16(data, at, (int) (value >>> 16));
        put16(data, at + 2, (int) value);
    }
}
