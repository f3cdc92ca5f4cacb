/** A proxy in front of a store, as in the tests of the server. */
export * from '../../packages/server/src/testing/store-proxy.ts'
