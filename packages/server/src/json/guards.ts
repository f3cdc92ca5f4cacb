export { asRecord, isRecord, type JsonRecord, member, memberAt, parseRecord } from '@touchstone/formats/json'
