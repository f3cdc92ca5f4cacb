export * from './compare-rest.ts'
export type * from './document.ts'
export * from './read-manifest.ts'
export * from './render-messages.ts'
