/** The distributed store: etcd, through jetcd. Nothing of it is loaded unless it is asked for. */
package io.argosy.store.etcd;
