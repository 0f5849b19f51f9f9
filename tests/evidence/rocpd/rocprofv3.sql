CREATE TABLE rocpd_info_kernel_symbol_0a1b (id INTEGER, kernel_name TEXT, display_name TEXT);
INSERT INTO rocpd_info_kernel_symbol_0a1b VALUES (1, 'add.kd', 'add(float*)'), (2, 'ncclDevKernel.kd', NULL);
CREATE TABLE rocpd_kernel_dispatch_0a1b (id INTEGER, agent_id INTEGER, kernel_id INTEGER, queue_id INTEGER, start BIGINT, "end" BIGINT);
INSERT INTO rocpd_kernel_dispatch_0a1b VALUES (1, 4, 1, 2, 100, 400), (2, 4, 2, 3, 350, 500);
CREATE TABLE rocpd_memory_copy_0a1b (start BIGINT, "end" BIGINT, dst_agent_id INTEGER, src_agent_id INTEGER);
INSERT INTO rocpd_memory_copy_0a1b VALUES (600, 700, 4, 1);
CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch_0a1b;
