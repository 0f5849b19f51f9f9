CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);
INSERT INTO rocpd_string VALUES (1, ''), (2, 'KernelExecution'), (3, 'Cijk_Alik'), (4, 'CopyHostToDevice');
CREATE TABLE rocpd_op (id INTEGER, gpuId INTEGER, queueId INTEGER, start INTEGER, "end" INTEGER, description_id INTEGER, opType_id INTEGER);
INSERT INTO rocpd_op VALUES (1, 2, 0, 1000, 1300, 3, 2), (2, 2, 0, 1350, 1400, 1, 4), (3, 2, 1, 1200, 1450, 3, 2);
