export { type Journal, JournalFullError, type OpenedJournal, openJournal } from './journal.ts'
