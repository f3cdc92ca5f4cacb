import { z } from 'zod'

/**
 * The reader of a CSV file: `spreadsheet` puts an apostrophe before each cell that a spreadsheet would run as a
 * formula. Absent: cells are as stored, and an import of the file gives the same data.
 */
export const CsvReader = z.enum(['spreadsheet'])
export type CsvReader = z.infer<typeof CsvReader>
