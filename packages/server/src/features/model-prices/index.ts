export { openPriceBook, type PriceBook } from './price-book.ts'
export { modelPriceRoutes } from './routes.ts'
