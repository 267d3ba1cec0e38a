/**
 * Who owns which field: the sets of fields that writers manage, and the merge of what an applier wants into what is there. Pure functions on
 * trees; the rules are those of Kubernetes' structured merge, so that entries written by either are understood by both.
 */
package io.argosy.api.apply;
