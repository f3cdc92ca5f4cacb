export { checkTagName, TAG_NAME } from './check-tag-name.ts'
export { insistOnTags } from './insist-on-tags.ts'
export { promptEnvironmentRoutes } from './routes.ts'
