package io.argosy.server.authn;

import io.argosy.api.status.ApiException;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What headers say of a user beside name, uid and groups: each key is the end of a header's name. */
public final class ExtraHeaders {
    private ExtraHeaders() {}

    /** Of the headers whose names begin so, whatever their letters' case. */
    public static Map<String, List<String>> read(String prefix, HttpHeaders headers) {
        Map<String, List<String>> extra = new LinkedHashMap<>();
        for (String header : headers.names()) {
            if (header.regionMatches(true, 0, prefix, 0, prefix.length())) {
                extra.put(key(prefix, header), headers.getAll(header));
            }
        }
        return extra;
    }

    private static String key(String prefix, String header) {
        String key = header.substring(prefix.length()).toLowerCase(Locale.ROOT);
        try {
            return URLDecoder.decode(key.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw ApiException.badRequest("malformed header " + header);
        }
    }
}
