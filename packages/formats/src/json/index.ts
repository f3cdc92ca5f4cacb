export { asRecord, isRecord, type JsonRecord, member, memberAt, parseRecord } from './guards.ts'
