package io.argosy.server.kinds;

import io.argosy.api.names.Lot;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Cause;
import io.argosy.api.status.Reason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The addresses of Services, of one family or of both, from the ranges there are now; thread-safe. */
public final class ServiceAddresses {
    private final List<AddressRange> ranges = new ArrayList<>();
    private final Map<String, List<AddressRange>> more = new LinkedHashMap<>();
    private final Lot lot;

    /** One range in CIDR form, or two of different families with a comma between; the first is the default. */
    public ServiceAddresses(String cidrs, Lot lot) {
        this.lot = lot;
        for (String cidr : cidrs.split(",")) {
            ranges.add(new AddressRange(cidr.strip(), lot));
        }
        if (ranges.size() > 2 || families().stream().distinct().count() < ranges.size()) {
            throw new IllegalArgumentException("not one range of Service addresses for each family: " + cidrs);
        }
    }

    /** Further ranges, under the name of the object that gives them. What is taken in them must be said anew. */
    public synchronized void extend(String name, List<String> cidrs) {
        more.put(name, cidrs.stream().map(cidr -> new AddressRange(cidr, lot)).toList());
    }

    /** Nothing is given any more from what an object gave; what was given stays in use. */
    public synchronized void shrink(String name) {
        more.remove(name);
    }

    /** The families there are, the default first. */
    List<String> families() {
        return ranges.stream().map(AddressRange::family).toList();
    }

    /** Any free address of a family. */
    synchronized String next(String family) {
        for (AddressRange range : all()) {
            String found = range.family().equals(family) ? range.next() : null;
            if (found != null) {
                occupy(found);
                return found;
            }
        }
        throw new ApiException(
                Reason.InternalError, "Internal error occurred: failed to allocate a serviceIP: range is full");
    }

    /** This very address. */
    synchronized String take(String address, String service) {
        List<AddressRange> holding =
                all().stream().filter(range -> range.contains(address)).toList();
        if (holding.isEmpty()) {
            throw invalid(
                    service,
                    address,
                    "failed to allocate IP " + address + ": the provided IP (" + address
                            + ") is not in the valid range");
        }
        if (!holding.getFirst().take(address)) {
            throw taken(service, address);
        }
        occupy(address);
        return address;
    }

    /** The address is in use by an object already stored. */
    public synchronized void occupy(String address) {
        all().stream().filter(range -> range.contains(address)).forEach(range -> range.take(address));
    }

    public synchronized void free(String address) {
        all().forEach(range -> range.free(address));
    }

    private List<AddressRange> all() {
        if (more.isEmpty()) {
            return ranges;
        }
        List<AddressRange> all = new ArrayList<>(ranges);
        more.values().forEach(all::addAll);
        return all;
    }

    static ApiException taken(String service, String address) {
        return invalid(service, address, "failed to allocate IP " + address + ": provided IP is already allocated");
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
