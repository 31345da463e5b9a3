// The program of the thread that reads captures of `trade-api` exchanges ahead.
import { serveScans } from '../../../tape/import/captures/scan-chunk.ts';
import { captureWire } from './capture-dialects.ts';

serveScans(captureWire.feeds);
