import { z } from 'zod'

/**
 * For whom a CSV file is written: `spreadsheet` puts an apostrophe before each cell that a spreadsheet would take for a
 * formula; absent, cells are as stored, and a file that is uploaded again gives the same data.
 */
export const CsvReader = z.enum(['spreadsheet'])
export type CsvReader = z.infer<typeof CsvReader>
