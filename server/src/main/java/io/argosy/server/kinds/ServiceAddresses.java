package io.argosy.server.kinds;

import io.argosy.api.names.Lot;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.api.status.Reason;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;

/** Which addresses of the service range are taken; thread-safe. The lower part is left to those who ask for one address. */
public final class ServiceAddresses {
    private final int base;
    private final int size;
    private final int reserved;
    private final Lot lot;
    private final BitSet taken = new BitSet();

    /** The range in CIDR form, such as {@code 10.96.0.0/16}. */
    public ServiceAddresses(String cidr, Lot lot) {
        this.lot = lot;
        int slash = cidr.indexOf('/');
        int prefix = Integer.parseInt(cidr.substring(slash + 1));
        this.size = prefix <= 1 ? Integer.MAX_VALUE : 1 << (32 - prefix);
        this.base = number(cidr.substring(0, slash)) & -size;
        this.reserved = Math.min(Math.max(16, size / 16), Math.min(256, size / 2));
        taken.set(0);
        taken.set(size - 1);
    }

    /** Any free address. */
    public synchronized String next() {
        int start = reserved + lot.about("address").nextInt(Math.max(1, size - reserved));
        int found = taken.nextClearBit(start);
        if (found >= size) {
            found = taken.nextClearBit(reserved);
        }
        if (found >= size) {
            found = taken.nextClearBit(1);
        }
        if (found >= size) {
            throw new ApiException(
                    Reason.InternalError, "Internal error occurred: failed to allocate a serviceIP: range is full");
        }
        taken.set(found);
        return text(found);
    }

    /** This very address. */
    synchronized String take(String address, String service) {
        int offset = offset(address);
        if (offset < 0 || offset >= size) {
            throw invalid(
                    service,
                    address,
                    "failed to allocate IP " + address + ": the provided IP (" + address
                            + ") is not in the valid range");
        }
        if (taken.get(offset)) {
            throw invalid(service, address, "failed to allocate IP " + address + ": provided IP is already allocated");
        }
        taken.set(offset);
        return address;
    }

    /** The address is in use by an object already stored. */
    public synchronized void occupy(String address) {
        int offset = offset(address);
        if (offset >= 0 && offset < size) {
            taken.set(offset);
        }
    }

    public synchronized void free(String address) {
        int offset = offset(address);
        if (offset > 0 && offset < size - 1) {
            taken.clear(offset);
        }
    }

    private int offset(String address) {
        try {
            return number(address) - base;
        } catch (IllegalArgumentException notAnAddress) {
            return -1;
        }
    }

    private String text(int offset) {
        int address = base + offset;
        return (address >>> 24) + "." + (address >>> 16 & 255) + "." + (address >>> 8 & 255) + "." + (address & 255);
    }

    private static int number(String address) {
        byte[] bytes = InetAddress.ofLiteral(address).getAddress();
        if (bytes.length != 4) {
            throw new IllegalArgumentException(address + " is not an IPv4 address");
        }
        return ByteBuffer.wrap(bytes).getInt();
    }

    private static ApiException invalid(String service, String address, String why) {
        return ApiException.invalid(
                "",
                "Service",
                service,
                List.of(new Cause(
                        "FieldValueInvalid", "Invalid value: [\"" + address + "\"]: " + why, "spec.clusterIPs")));
    }
}
