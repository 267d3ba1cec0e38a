package io.argosy.server.kinds;

import io.argosy.api.names.Lot;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.api.status.Reason;
import java.util.ArrayList;
import java.util.List;

/** The addresses of Services, of one family or of both; thread-safe. */
public final class ServiceAddresses {
    private final List<AddressRange> ranges = new ArrayList<>();

    /** One range in CIDR form, or two of different families with a comma between; the first is the default. */
    public ServiceAddresses(String cidrs, Lot lot) {
        for (String cidr : cidrs.split(",")) {
            ranges.add(new AddressRange(cidr.strip(), lot));
        }
        if (ranges.size() > 2 || families().stream().distinct().count() < ranges.size()) {
            throw new IllegalArgumentException("not one range of Service addresses for each family: " + cidrs);
        }
    }

    /** The families there are, the default first. */
    List<String> families() {
        return ranges.stream().map(AddressRange::family).toList();
    }

    /** Any free address of a family. */
    synchronized String next(String family) {
        String found = of(family).next();
        if (found == null) {
            throw new ApiException(
                    Reason.InternalError, "Internal error occurred: failed to allocate a serviceIP: range is full");
        }
        return found;
    }

    /** This very address. */
    synchronized String take(String address, String service) {
        AddressRange range = of(ServiceFamilies.of(address));
        if (range == null || !range.contains(address)) {
            throw invalid(
                    service,
                    address,
                    "failed to allocate IP " + address + ": the provided IP (" + address
                            + ") is not in the valid range");
        }
        if (!range.take(address)) {
            throw invalid(service, address, "failed to allocate IP " + address + ": provided IP is already allocated");
        }
        return address;
    }

    /** The address is in use by an object already stored. */
    public synchronized void occupy(String address) {
        ranges.stream().filter(range -> range.contains(address)).forEach(range -> range.take(address));
    }

    public synchronized void free(String address) {
        ranges.forEach(range -> range.free(address));
    }

    private AddressRange of(String family) {
        return ranges.stream()
                .filter(range -> range.family().equals(family))
                .findFirst()
                .orElse(null);
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
