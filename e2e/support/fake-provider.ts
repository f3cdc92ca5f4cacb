/** A model provider with the four wire formats, the same as in the tests of the server. */
export * from '../../packages/server/src/testing/fake-provider.ts'
