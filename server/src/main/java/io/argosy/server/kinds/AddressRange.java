package io.argosy.server.kinds;

import io.argosy.api.names.Lot;
import io.argosy.api.net.IpText;
import java.math.BigInteger;
import java.net.InetAddress;
import java.util.BitSet;
import java.util.OptionalInt;

/** A range of addresses and which of them are taken; the lower part is left to those who ask for one address. For one thread. */
final class AddressRange {
    private static final int MOST_BITS = 20;

    private final BigInteger base;
    private final int bytes;
    private final int size;
    private final int reserved;
    private final Lot lot;
    private final BitSet taken = new BitSet();

    /** In CIDR form, such as {@code 10.96.0.0/16} or {@code fd00:10:96::/112}; of a larger one the first million is used. */
    AddressRange(String cidr, Lot lot) {
        this.lot = lot;
        int slash = cidr.indexOf('/');
        byte[] address = InetAddress.ofLiteral(cidr.substring(0, slash)).getAddress();
        int hostBits = 8 * address.length - Integer.parseInt(cidr.substring(slash + 1));
        this.bytes = address.length;
        this.size = 1 << Math.min(MOST_BITS, hostBits);
        this.base = new BigInteger(1, address).shiftRight(hostBits).shiftLeft(hostBits);
        this.reserved = Math.min(Math.max(16, size / 16), Math.min(256, size / 2));
        taken.set(0);
        if (bytes == 4 && hostBits <= MOST_BITS) {
            taken.set(size - 1); // broadcast
        }
    }

    String family() {
        return bytes == 4 ? "IPv4" : "IPv6";
    }

    /** Any free address; null if there is none. */
    String next() {
        int start = reserved + lot.about("address").nextInt(Math.max(1, size - reserved));
        int found = taken.nextClearBit(start);
        if (found >= size) {
            found = taken.nextClearBit(reserved);
        }
        if (found >= size) {
            found = taken.nextClearBit(1);
        }
        if (found >= size) {
            return null;
        }
        taken.set(found);
        return text(found);
    }

    boolean contains(String address) {
        return offset(address).isPresent();
    }

    /** Takes this very address; false if it is taken already. */
    boolean take(String address) {
        int offset = offset(address).orElseThrow();
        boolean free = !taken.get(offset);
        taken.set(offset);
        return free;
    }

    void free(String address) {
        offset(address).ifPresent(offset -> {
            if (offset > 0 && !(bytes == 4 && offset == size - 1)) {
                taken.clear(offset);
            }
        });
    }

    private OptionalInt offset(String address) {
        byte[] given;
        try {
            given = InetAddress.ofLiteral(address).getAddress();
        } catch (IllegalArgumentException notAnAddress) {
            return OptionalInt.empty();
        }
        BigInteger offset = new BigInteger(1, given).subtract(base);
        return given.length == bytes && offset.signum() >= 0 && offset.compareTo(BigInteger.valueOf(size)) < 0
                ? OptionalInt.of(offset.intValue())
                : OptionalInt.empty();
    }

    private String text(int offset) {
        byte[] number = base.add(BigInteger.valueOf(offset)).toByteArray();
        byte[] address = new byte[bytes];
        int length = Math.min(bytes, number.length);
        System.arraycopy(number, number.length - length, address, bytes - length, length);
        return IpText.of(address);
    }
}
